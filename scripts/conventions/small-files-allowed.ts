/**
 * Files of at most 50 lines that exactly one other file of their package imports, each with the reason why a fold would
 * make it worse to read. The list may only shrink.
 */
export const SMALL_FILES: Readonly<Record<string, string>> = {
  'packages/session/src/run-turn.steps.ts': 'generators of steps live in *.steps.ts only, and its importer is a class',
}

/** Folders whose small files nobody has folded yet, each with the issue that does. The list may only shrink. */
export const SMALL_FILE_ROOMS: Readonly<Record<string, string>> = {}
