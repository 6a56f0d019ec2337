# Writes OUTPUT, a source file that defines preset_texts(), from the files named in PRESETS (a list
# of names without .yaml) of the folder FOLDER. Run by cmake -P when a preset changes.
set(source "// Made from config/presets/ by embed_presets.cmake.
#include \"braid/config/presets.h\"

namespace braid::yaml {

std::vector<PresetText> preset_texts() {
    return {
")
string(REPLACE "," ";" PRESETS "${PRESETS}")
foreach(preset ${PRESETS})
  file(READ "${FOLDER}/${preset}.yaml" text)
  if(text MATCHES "\\)yaml\"")
    message(FATAL_ERROR "${preset}.yaml contains the end of a raw string")
  endif()
  string(APPEND source "        {\"${preset}\", R\"yaml(${text})yaml\"},\n")
endforeach()
string(APPEND source "    };\n}\n\n}  // namespace braid::yaml\n")
file(WRITE "${OUTPUT}" "${source}")
