// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/core/topics/lbdm.h"

#include <cmath>
#include <vector>

#include "braid/core/topics/lda.h"
#include "braid/tests/core/topics/lda_test_data.h"
#include "braid/tests/support/support.h"

using namespace braid;
using namespace braid::test;

TEST_CASE("LBDM: an example worked by hand") {
    // .7 (2 + 1000 * .001) / (50 + 1000) + .3 * .004 = .7 * 3 / 1050 + .0012 = .0032
    const LbdmTerm first{1, 2, 0.001, 0.004};
    CHECK_THAT(lbdm_probability({}, first, 50), WithinRel(0.0032, 1e-12));
    // .5 (0 + 10 * .02) / (10 + 10) + .5 * .03 = .005 + .015 = .02
    const LbdmTerm second{2, 0, 0.02, 0.03};
    CHECK_THAT(lbdm_probability({0.5, 10}, second, 10), WithinRel(0.02, 1e-12));
    CHECK_THAT(lbdm_score({}, std::vector<LbdmTerm>{first, first}, 50),
               WithinRel(2 * std::log(0.0032), 1e-12));
    CHECK_THAT(lbdm_score({0.5, 10}, std::vector<LbdmTerm>{second}, 10),
               WithinRel(2 * std::log(0.02), 1e-12));
    CHECK(lbdm_score({}, std::vector<LbdmTerm>{{1, 0, 0, 0}}, 50) == 0);
}

TEST_CASE("LBDM: a document's words sum to one") {
    braid::test::PlantedOptions data;
    data.documents = 30;
    const TermDocumentCounts counts = braid::test::planted(data, 4);
    TopicOptions options;
    options.dimensions = 5;
    options.parameters = {{"sweeps", 20}, {"chains", 2}};
    const auto executor = make_executor(1);
    const TopicModel model = fit_topic_model("lda", counts, options, *executor);
    const std::vector<double> frequencies = counts.collection_frequencies();
    const std::vector<double> lengths = counts.document_lengths();
    for (std::size_t d = 0; d < 5; ++d) {
        std::vector<double> in_document(counts.vocabulary.size(), 0);
        const TermCounts row = counts.document(d);
        for (std::size_t i = 0; i < row.size(); ++i) in_document[row.terms[i]] = row.counts[i];
        double sum = 0;
        for (std::size_t w = 0; w < in_document.size(); ++w) {
            const double topics =
                topic_probability(model.term_vectors.row(w), model.document_vectors.row(d), 2);
            sum += lbdm_probability(
                {}, {1, in_document[w], frequencies[w] / counts.total(), topics}, lengths[d]);
        }
        CHECK_THAT(sum, WithinRel(1.0, 1e-5));
    }
}

TEST_CASE("LBDM: p(z|d) needs no fixed length, and a document may have none") {
    const std::vector<float> word = {0.1F, 0.3F, 0.2F, 0.6F};
    const std::vector<float> document = {1, 3, 2, 2};
    // ((.1 + .9) / 4 + (.4 + 1.2) / 4) / 2 = (.25 + .4) / 2
    CHECK_THAT(topic_probability(word, document, 2), WithinRel(0.325, 1e-6));
    const std::vector<float> scaled = {0.5F, 1.5F, 20, 20};
    CHECK_THAT(topic_probability(word, scaled, 2), WithinRel(0.325, 1e-6));
    CHECK(topic_probability(word, std::vector<float>(4, 0), 2) == 0);
}
