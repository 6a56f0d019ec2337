// SPDX-License-Identifier: GPL-2.0-or-later
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <system_error>

#include <xapian.h>

#include "braid/cli/options/command.h"
#include "braid/cli/output/output.h"
#include "braid/cli/output/usage.h"
#include "braid/error.h"

namespace {

using namespace braid::cli;

int fail(const std::string& message) {
    tell("braid: " + message);
    return kFailed;
}

// Ends the process where an allocation fails, as a kill would, which every command survives. Xapian
// can't be left by std::bad_alloc: a database that it was changing commits what is half done when
// it is destroyed.
[[noreturn]] void end_out_of_memory() {
    tell_out_of_memory();
    std::_Exit(kFailed);
}

// Runs the command; every error ends here, as one line and an exit code.
int run_action(Session& session) {
    try {
        const int code = session.action();
        session.finish();
        return code;
    } catch (const braid::Cancelled& error) {
        session.finish();
        tell(std::string("braid: ") + error.what());
        return interrupted() ? 128 + interrupting_signal() : kFailed;
    } catch (const braid::UnknownComponent& error) {
        session.finish();
        tell(std::string("braid: ") + error.what());
        return kUsage;
    } catch (const Xapian::Error& error) {  // Does not derive from std::exception.
        session.finish();
        return fail(error.get_description());
    } catch (const std::system_error& error) {  // What printing throws says no place.
        session.finish();
        return fail(output_failed() ? "standard output: " + error.code().message() : error.what());
    } catch (const std::bad_alloc&) {
        end_out_of_memory();
    } catch (const std::exception& error) {
        session.finish();
        return fail(error.what());
    }
}

// An error in a destructor can't be caught, such as a write that fails while Xapian ends a slot's
// values. What is committed stays as it is.
[[noreturn]] void end_with_message() {
    const std::exception_ptr current = std::current_exception();
    if (current == nullptr) std::abort();
    try {
        std::rethrow_exception(current);
    } catch (const Xapian::Error& error) {
        fail(error.get_description());
        std::_Exit(kFailed);
    } catch (const std::bad_alloc&) {  // Of a matrix.
        end_out_of_memory();
    } catch (...) {
        std::abort();
    }
}

int run(int argc, char** argv) {
    CLI::App app("Ranking ensembles inside Xapian: index, search, train, evaluate.", "braid");
    app.formatter(std::make_shared<HelpFormatter>());  // Commands have the same.
    Session session;
    session.arguments.assign(argv, argv + argc);
    if (std::filesystem::path(argv[0]).filename() == "braid-tcpsrv") {
        session.action = [&session] { return run_tcpsrv(session.arguments); };
        return run_action(session);
    }
    app.require_subcommand(1);
    app.set_version_flag("--version", std::string("braid ") + BRAID_VERSION);
    add_index(app, session);
    add_adopt(app, session);
    add_topics(app, session);
    add_check(app, session);
    add_search(app, session);
    add_run(app, session);
    add_features(app, session);
    add_eval(app, session);
    add_fuse(app, session);
    add_train(app, session);
    add_models(app, session);
    add_score(app, session);
    add_convert(app, session);
    add_lists(app, session);
    add_with(app, session);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return app.exit(error);  // Of --help and --version.
        for (const std::string& line : usage_error(app, error)) tell(line);
        return kUsage;
    }
    session.use_limits({});
    catch_interrupts();
    const int code = run_action(session);
    // A full disk or a closed pipe shows only when the buffer is written. A command that failed has
    // said why.
    if (code != kDone) return code;
    const std::string problem = flush_output();
    return problem.empty() ? code : fail("standard output: " + problem);
}

}  // namespace

int main(int argc, char** argv) {
    std::set_new_handler(end_out_of_memory);
    std::set_terminate(end_with_message);
    try {
        return run(argc, argv);
    } catch (const std::exception&) {  // Standard error can't be written.
        return kFailed;
    }
}
