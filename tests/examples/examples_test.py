# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs every example of the braid command in README.md, docs/guide/ and each --help.

usage: examples_test.py SOURCE-FOLDER [WORD ...]     only examples that contain all WORDs
environment: BRAID_PROGRAM, the command

Examples name files and databases of a reader's own. `prepare` makes small ones of the same names;
each example runs in a copy of them. It must end with 0, or with what `train --install` says where
there is no gain.
"""
import glob
import gzip
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PROGRAM = os.environ['BRAID_PROGRAM']
FEWEST = 100  # So that a change of the documents' form can't hide them.

# Programs that are not part of Braid; tests/with runs them where they are installed.
OTHER_PROGRAMS = ('quest', 'kiwix-search')

TOPICS = ['red blood cells marrow heart artery', 'image viewer photo picture graphics camera',
          'chess board players strategy games text', 'shoes leather boots rainy days brand',
          'memory leak recover deleted files editor']


def documents(count=60, seed=1):
    rng = random.Random(seed)
    for number in range(count):
        words = TOPICS[number % len(TOPICS)].split()
        others = ' '.join(TOPICS).split()
        text = [rng.choice(words if rng.random() < .7 else others) for _ in range(25)]
        yield {'id': 'd%d' % number, 'title': ' '.join(text[:3]), 'text': ' '.join(text),
               'section': rng.choice(['games', 'editors']), 'year': 2015 + number % 10,
               'brand': 'Acme', 'price': number + .5}


def queries():
    rng = random.Random(2)
    for number in range(1, 16):
        words = TOPICS[number % len(TOPICS)].split()
        yield str(number), ' '.join(rng.sample(words, 3)), number % len(TOPICS)


def write(path, text):
    if os.path.dirname(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with (gzip.open(path, 'wt') if path.endswith('.gz') else open(path, 'w')) as file:
        file.write(text)


def write_npy(path, rows):
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows),
                                                                                len(rows[0]))
    header += ' ' * (63 - (10 + len(header)) % 64) + '\n'
    with open(path, 'wb') as file:
        file.write(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode())
        for row in rows:
            file.write(struct.pack('<%df' % len(row), *row))


def letor(path, seed, width=5, positions=False):
    rng = random.Random(seed)
    lines = []
    for query in range(12):
        places = [rng.sample(range(1, 13), 12) for _ in range(width)]
        for k in range(width):
            places[k].sort(key=lambda p: p + rng.random() * 4)
        for document in range(12):
            grade = 2 if document < 3 else 1 if document < 6 else 0
            row = []
            for k in range(width):
                if positions:
                    value = 'NULL' if rng.random() < .1 else str(places[k][document])
                else:
                    value = '%.4f' % (grade * (k + 1) / 5 + rng.random())
                row.append('%d:%s' % (k + 1, value))
            lines.append('%d qid:%d %s # docid = d%d\n' % (grade, query, ' '.join(row), document))
    write(path, ''.join(lines))


def braid(*arguments, out=None):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit('preparing: braid %s: %s' % (' '.join(arguments), done.stderr))
    if out is not None:
        write(out, done.stdout)


def collections():
    lines = [str(d).replace("'", '"') + '\n' for d in documents()]
    for path in ('corpus.jsonl', 'products.jsonl', 'messages.jsonl.gz', 'monday/1.jsonl'):
        write(path, ''.join(lines))
    later = [str(d).replace("'", '"').replace('"d', '"later') + '\n' for d in documents(20, 3)]
    write('tuesday/1.jsonl', ''.join(later))
    smart = ''.join('.I %s\n.T\n%s\n.W\n%s\n' % (d['id'][1:], d['title'], d['text'])
                    for d in documents())
    write('MED.ALL.gz', smart)
    write('cran.all.1400', smart)
    write('disk4/one', ''.join('<DOC>\n<DOCNO> %s </DOCNO>\n<TEXT>%s</TEXT>\n</DOC>\n' %
                               (d['id'], d['text']) for d in documents()))
    for folder in ('', 'lists/', 'var/lib/apt/lists/debian_'):
        write(folder + 'Packages', ''.join(
            'Package: p%s\nVersion: 1\nSection: %s\nDescription: %s\n' %
            (d['id'], d['section'], d['title']) + 'Description-md5: %032x\n\n' % n
            for n, d in enumerate(documents())))
        write(folder + 'Translation-en', ''.join(
            'Package: p%s\nDescription-md5: %032x\nDescription-en: %s\n %s\n\n' %
            (d['id'], n, d['title'], d['text']) for n, d in enumerate(documents())))
    write('smart.571', 'the\nof\nand\n')
    write('clicks.tsv', 'query\tdocument\tposition\tshown\tclicks\n' + ''.join(
        '%s\t%s\t%d\t9\t%d\n' % (number, d['id'], 1 + n % 10,
                                 6 if n % len(TOPICS) == topic else n % 2)
        for number, text, topic in queries() for n, d in enumerate(documents())))


def questions():
    lines = {number: number + '\t' + text + '\n' for number, text, topic in queries()}
    half = [line for number, line in lines.items() if int(number) % 2]
    rest = [line for number, line in lines.items() if not int(number) % 2]
    for path in ('MED.QRY', 'topics', 'log.txt', 'Q', 'cran.qry', 'queries.txt'):
        write(path, ''.join(lines.values()))
    for path, part in (('1.qry', half), ('first.qry', half), ('2.qry', rest), ('rest.qry', rest)):
        write(path, ''.join(part))
    judged = ''.join('%s 0 %s 1\n' % (number, d['id']) for number, text, topic in queries()
                     for n, d in enumerate(documents()) if n % len(TOPICS) == topic)
    # A part of what is relevant, so that a score says something of the probability.
    write('some.qrels', ''.join('%s 0 %s 1\n' % (number, d['id']) for number, text, topic in queries()
                                for n, d in enumerate(documents())
                                if n % len(TOPICS) == topic and n % 3))
    for path in ('MED.REL', 'qrels', 'med.qrels', 'R', 'qrels.gz', 'qrels.txt', 'cranqrel'):
        write(path, judged)


def vectors():
    rng = random.Random(4)
    rows = [[rng.random() for _ in range(6)] for _ in documents()]
    write_npy('packages.npy', rows)
    write('packages.ids', ''.join(d['id'] + '\n' for d in documents()))
    write('documents.jsonl', ''.join('{"id": "%s", "vector": %s}\n' % (d['id'], row)
                                     for d, row in zip(documents(), rows)))
    write_npy('queries.npy', [[rng.random() for _ in range(6)] for _ in queries()])
    write_npy('query.npy', [[rng.random() for _ in range(6)]])
    write('documents.vectors', open('documents.jsonl').read())
    write('queries.jsonl', ''.join('{"_id": "%s", "text": "%s"}\n' % (number, text)
                                   for number, text, topic in queries()))
    write('queries.vectors', ''.join(
        '{"id": "%s", "vector": %s}\n' % (number, [rng.random() for _ in range(6)])
        for number, text, topic in queries()))
    write('glove.6B.100d.txt', ''.join(
        word + ''.join(' %.3f' % rng.random() for _ in range(8)) + '\n'
        for word in sorted(set(' '.join(TOPICS).split()))))
    write('embeddings.jsonl', ''.join(
        '{"id": "%d", "vector": %s}\n' % (query, [rng.random() for _ in range(3)])
        for query in range(12)))


def databases():
    write('base.yaml', 'index:\n  fields:\n    - {name: title, prefix: S}\n    - {name: text}\n'
          '    - {name: section, prefix: XS, free_text: false, exact: true}\n'
          '    - {name: year, free_text: false, slot: 3, numeric: true}\n')
    braid('index', '--db', 'DB', '--config', 'base.yaml', 'corpus.jsonl')
    braid('adopt', '--db', 'DB', '--topics', 'lsa:6,neighbours,lda:6,ldi:6,plsi:6')
    braid('adopt', '--db', 'DB', '--statistics')
    braid('adopt', '--db', 'DB', '--vectors', 'bert=packages.npy', '--ids', 'packages.ids')
    for name, model in (('bm25', 'bm25'), ('lsa', 'lsa'), ('lm', 'lm-dirichlet'),
                        ('fused', 'standard'), ('standard', 'standard')):
        braid('run', '--db', 'DB', '--queries', 'topics', '--model', model, '--name', name,
              out=name + '.run')
    prefixes = []
    for prefix in ('med:', 'cran:'):
        braid('index', '--db', 'all', '--id-prefix', prefix, 'corpus.jsonl')
        prefixes += ['--queries', 'topics', '--id-prefix', prefix]
    braid('run', '--db', 'all', *prefixes, out='runs/all.run')
    for learner, run in (('genm-bat', 'bm25'), ('listnet', 'lsa')):
        shutil.copy(run + '.run', 'runs/' + learner + '.run')
    train = ['train', '--db', 'DB', '--queries', 'topics', '--qrels', 'qrels']
    for model in ('learned.yaml', 'trained.yaml'):
        braid(*train, '--model', model)
    braid('features', '--db', 'DB', '--queries', 'topics', '--qrels', 'qrels', '--model', 'words',
          out='features.txt')
    braid(*train, '--learner', 'uniform', '--install', '--force')
    for copy in ('db', 'med', 'med.db', 'packages', 'packages.db', 'mail', 'cran', 'shop',
                 'news.db', 'wiki.glass'):
        shutil.copytree('DB', copy)
    for mail in ('.mail/.notmuch/xapian', 'MAIL/.notmuch/xapian'):
        os.makedirs(os.path.dirname(mail))
        braid('index', '--db', mail, '--config', 'mail', 'corpus.jsonl')
    braid('adopt', '--db', 'news.db', '--vectors', 'use=documents.vectors')
    write('use.yaml', 'model:\n  rankers:\n    - {ranker: bm25}\n'
          '    - {ranker: vector, topics: use, weight: 20}\n')
    shutil.copy('learned.yaml', 'new.yaml')
    braid('search', '--db', 'shop', '--interleave', 'current', 'new.yaml', '--log', 'drafts.tsv',
          'red', 'shoes')
    braid('train', '--db', 'DB', '--queries', 'topics', '--qrels', 'some.qrels', '--folds', '5',
          '--model', 'med.yaml')
    os.mkdir('.cache')
    braid('adopt', '--db', '.mail/.notmuch/xapian', '--sidecar', '.cache/braid-mail', '--topics',
          'lsa:4')
    os.makedirs('var/lib/apt-xapian-index')
    braid('index', '--db', 'var/lib/apt-xapian-index/index', '--config', 'packages', 'Packages')
    write('shop.yaml', 'model:\n  rankers:\n    - {ranker: bm25}\n    - {ranker: lm-dirichlet}\n'
          'training:\n  queries: topics\n  qrels: qrels\n  learner: genm-on\n  folds: 2\n')


def features():
    for seed, path in enumerate(('train.txt', 'vali.txt', 'test.txt', 'all.txt', 'new.txt',
                                 'january.txt', 'february.txt')):
        letor(path, seed)
    letor('MQ2008-agg.txt', 9, 4, positions=True)
    braid('train', '--letor', 'train.txt', '--learner', 'listnet', '--model', 'm.yaml')
    shutil.copy('m.yaml', 'model.yaml')
    braid('train', '--letor', 'train.txt', '--learner', 'awelv', '-p', 'folds=0',
          '--query-embeddings', 'embeddings.jsonl', '--model', 'by-query.yaml')
    braid('features', '--db', 'DB', '--queries', 'topics', '--qrels', 'qrels', '--model',
          'standard', out='standard.letor')
    for file, library, name in (('train.txt', 'xgboost', 'xgboost.json'),
                                ('standard.letor', 'lightgbm', 'lightgbm.txt')):
        braid('train', '--letor', file, '--learner', 'lambdamart', '--normalise', 'none',
              '--model', 'trees.yaml')
        braid('convert', 'trees.yaml', '--to', library, '--output', name)
    braid('convert', 'lightgbm.txt', '--model-rankers', 'standard', '--model', 'trees.yaml')
    braid('train', '--letor', 'january.txt', '--learner', 'genm-on', '--normalise', 'scale',
          '--model', 'on.yaml')


def prepare():
    collections()
    questions()
    vectors()
    databases()
    features()


def examples(source):
    found = {}
    for page in [source + '/README.md', *sorted(glob.glob(source + '/docs/guide/*.md'))]:
        text = open(page, encoding='utf-8').read()
        for language, block in re.findall(r'```(\w*)\n(.*?)```', text, re.S):
            if language not in ('', 'sh', 'console'):
                continue
            for line in block.replace('\\\n', ' ').split('\n'):
                line = re.sub(r'^\$ ', '', line)
                if re.match(r'braid [a-z]', line):
                    found.setdefault(clean(line), os.path.relpath(page, source))
    top = subprocess.run([PROGRAM, '--help'], capture_output=True, text=True).stdout
    commands = re.findall(r'^  ([a-z]+) {2,}', top[top.lower().index('subcommands'):], re.M)
    for command in commands:
        text = subprocess.run([PROGRAM, command, '--help'], capture_output=True, text=True).stdout
        for line in text.replace('\\\n', ' ').split('\n'):
            if re.match(r'  braid [a-z]', line):
                found.setdefault(clean(line), 'braid %s --help' % command)
    return found


def clean(line):
    line = re.sub(r'( {2,}#| # ).*', '', line)
    return re.sub(r'\s+', ' ', line).strip()


def why_wrong(example, state):
    with tempfile.TemporaryDirectory() as folder:
        work = folder + '/work'
        shutil.copytree(state, work)
        if re.match(r'braid index', example) and 'tuesday' not in example:
            made = re.search(r'--db (\S+)', example).group(1)
            shutil.rmtree(os.path.join(work, made), ignore_errors=True)
        if re.match(r'braid (search|features)', example):
            shutil.copy(work + '/learned.yaml', work + '/model.yaml')
        if 'use=queries.vectors' in example:
            shutil.copy(work + '/use.yaml', work + '/model.yaml')
        bin_folder = folder + '/bin'
        os.mkdir(bin_folder)
        os.symlink(os.path.realpath(PROGRAM), bin_folder + '/braid')
        environment = dict(os.environ, HOME=work, PATH=bin_folder + ':' + os.environ['PATH'])
        command = example.replace(' /var/', ' var/')
        if '--follow' in example:  # Goes on until Ctrl-C.
            command = 'timeout --preserve-status -s INT 10 ' + command
        done = subprocess.run(['sh', '-c', command], cwd=work, env=environment, text=True,
                              capture_output=True, timeout=250, errors='replace')
        refused = done.returncode == 1 and 'not installed: ' in done.stderr
        # No server is called `host`; tests/plugin/remote and tests/with search real ones.
        alone = ' host:' in example and "can't reach the server" in done.stderr
        # Ctrl-C while it learns, where the machine is slow.
        stopped = '--follow' in example and 'model written to' in done.stderr
        if stopped and done.returncode in (0, 130):
            return ''
        if (done.returncode == 0 and 'braid: ' not in done.stderr) or refused or alone:
            return ''
        return 'exit %d\n%s' % (done.returncode, done.stderr[-1500:])


def main():
    source, words = os.path.realpath(sys.argv[1]), sys.argv[2:]
    found = examples(source)
    if len(found) < FEWEST:
        sys.exit('found %d examples, expected at least %d' % (len(found), FEWEST))
    with tempfile.TemporaryDirectory() as state:
        os.chdir(state)
        prepare()
        wrong = ran = 0
        for example, page in found.items():
            if not all(word in example for word in words):
                continue
            if any(' -- ' + program in example for program in OTHER_PROGRAMS):
                continue
            ran += 1
            why = why_wrong(example, state)
            if why:
                wrong += 1
                print('%s: %s\n  %s' % (page, example, why.replace('\n', '\n  ')), flush=True)
        os.chdir('/')
    print('%d of %d examples run, %d fail' % (ran, len(found), wrong))
    sys.exit(1 if wrong or not ran else 0)


main()
