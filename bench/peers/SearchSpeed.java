// SPDX-License-Identifier: GPL-2.0-or-later
// Time per query of Lucene's BM25 over what `bench/search_speed export` wrote, as `bench/search_speed searcher` times
// Xapian's. With Debian's liblucene8-java:
//
//   java -cp "/usr/share/java/*" bench/peers/SearchSpeed.java DOCUMENTS QUERIES INDEX
//
// INDEX is made where it isn't there: one segment. All queries are answered kWarm times first, for the
// compiler's sake; then a query's time is the least of four rounds, in processor time of this thread.
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;

public class SearchSpeed {
    static final int kWarm = 300;
    static final int kRounds = 4;

    static void index(Path documents, Directory directory) throws Exception {
        IndexWriterConfig config = new IndexWriterConfig(new WhitespaceAnalyzer());
        config.setRAMBufferSizeMB(256);
        try (IndexWriter writer = new IndexWriter(directory, config);
             var lines = Files.lines(documents)) {
            for (String line : (Iterable<String>) lines::iterator) {
                Document document = new Document();
                document.add(new TextField("words", line, Field.Store.NO));
                writer.addDocument(document);
            }
            writer.forceMerge(1);
        }
    }

    static Query parse(String line) {
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        for (String word : line.trim().split(" ")) {
            query.add(new TermQuery(new Term("words", word)), BooleanClause.Occur.SHOULD);
        }
        return query.build();
    }

    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments[2]);
        Directory directory = new MMapDirectory(folder);
        if (!DirectoryReader.indexExists(directory)) index(Path.of(arguments[0]), directory);
        List<Query> queries = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[1]))) queries.add(parse(line));
        IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
        searcher.setSimilarity(new BM25Similarity());
        searcher.setQueryCache(null);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        for (int round = 0; round < kWarm; ++round) {
            for (Query query : queries) searcher.search(query, round % 2 == 0 ? 10 : 1000);
        }
        System.out.printf("%d documents, %d queries%n", searcher.getIndexReader().numDocs(),
                          queries.size());
        System.out.println("| top | median ms | mean ms | 99 % ms |\n|---|---|---|---|");
        for (int top : new int[] {10, 100, 1000}) {
            double[] best = new double[queries.size()];
            Arrays.fill(best, 1e9);
            for (int round = -kRounds; round < kRounds; ++round) {
                for (int i = 0; i < best.length; ++i) {
                    long start = clock.getCurrentThreadCpuTime();
                    searcher.search(queries.get(i), top);
                    double time = 1e-6 * (clock.getCurrentThreadCpuTime() - start);
                    if (round >= 0) best[i] = Math.min(best[i], time);
                }
            }
            Arrays.sort(best);
            System.out.printf("| %d | %.3f | %.3f | %.3f |%n", top, best[best.length / 2],
                              Arrays.stream(best).average().getAsDouble(),
                              best[best.length * 99 / 100]);
        }
    }
}
