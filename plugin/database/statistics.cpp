// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/database/statistics.h"

#include <algorithm>

namespace braid {

CollectionStatistics collection_statistics(const Xapian::Database& database) {
    return {.documents = static_cast<double>(database.get_doccount()),
            .total_length = static_cast<double>(database.get_total_length())};
}

TermStatistics term_statistics(const Xapian::Database& database,
                               const CollectionStatistics& collection, const std::string& term,
                               double query_occurrences) {
    return {.collection = collection,
            .documents = static_cast<double>(database.get_termfreq(term)),
            .occurrences = static_cast<double>(database.get_collection_freq(term)),
            .query_occurrences = query_occurrences};
}

BoundStatistics bound_statistics(const Xapian::Database& database, const std::string& term) {
    return {.occurrences_max = static_cast<double>(
                std::min(database.get_wdf_upper_bound(term), database.get_doclength_upper_bound())),
            .length_min = static_cast<double>(database.get_doclength_lower_bound()),
            .length_max = static_cast<double>(database.get_doclength_upper_bound())};
}

void StatisticsWeight::need_statistics() {
    for (const auto flag :
         {COLLECTION_SIZE, AVERAGE_LENGTH, TOTAL_LENGTH, TERMFREQ, COLLECTION_FREQ, WQF,
          QUERY_LENGTH, WDF, DOC_LENGTH, WDF_MAX, DOC_LENGTH_MIN, DOC_LENGTH_MAX}) {
        need_stat(flag);
    }
}

CollectionStatistics StatisticsWeight::collection_statistics() const {
    return {.documents = static_cast<double>(get_collection_size()),
            .total_length = static_cast<double>(get_total_length())};
}

TermStatistics StatisticsWeight::term_statistics() const {
    return {.collection = collection_statistics(),
            .documents = static_cast<double>(get_termfreq()),
            .occurrences = static_cast<double>(get_collection_freq()),
            .query_occurrences = static_cast<double>(get_wqf())};
}

QueryStatistics StatisticsWeight::query_statistics() const {
    return {.collection = collection_statistics(),
            .length = static_cast<double>(get_query_length())};
}

BoundStatistics StatisticsWeight::bound_statistics() const {
    return {.occurrences_max =
                static_cast<double>(std::min(get_wdf_upper_bound(), get_doclength_upper_bound())),
            .length_min = static_cast<double>(get_doclength_lower_bound()),
            .length_max = static_cast<double>(get_doclength_upper_bound())};
}

}  // namespace braid
