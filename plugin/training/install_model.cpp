// SPDX-License-Identifier: GPL-2.0-or-later
#include "braid/plugin/training/install_model.h"

#include <xapian.h>

#include "braid/core/base/error.h"
#include "braid/plugin/store/open_database.h"
#include "braid/plugin/store/settings_store.h"

namespace braid {

void install_model(const std::vector<std::string>& databases, const FusionModel& model) {
    std::vector<Xapian::WritableDatabase> opened;
    opened.reserve(databases.size());
    for (const std::string& spec : databases) {
        opened.push_back(wait_for_lock(kLockPatienceAfter, [&] { return open_for_writing(spec); }));
    }
    for (Xapian::WritableDatabase& database : opened) store_fusion_model(database, model);
    for (std::size_t i = 0; i < opened.size(); ++i) {
        try {
            opened[i].commit();
        } catch (const Xapian::Error& error) {
            throw Error(explain(error, databases[i]));
        }
    }
}

void check_installable(const std::vector<std::string>& databases) {
    for (const std::string& spec : databases) {
        wait_for_lock(kLockPatienceBefore, [&] { open_for_writing(spec); });
    }
}

}  // namespace braid
