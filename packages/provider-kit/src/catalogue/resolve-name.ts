/** What names of a model have behind them: dates, versions, regions and tags of hosts. */
const SUFFIX =
  /^(?:[-@]\d{4}-\d{2}-\d{2}|[-@]\d{4,8}|-latest|-\d{3}|[@-]default|-v\d(?:[:.]\d+)?|(?:-preview)?-\d{2}-\d{4}|-preview|-exp)*(?::[\w.:-]*)?$/u

/** Prefixes of hosts in front of the name of a vendor's model. */
const HOST = /^(?:[a-z-]+\.)?(?:anthropic|google|openai|mistral|meta)\./u

/**
 * Finds the name of a table that a model name stands for: the name itself, or the longest that it continues with a date, a
 * version or a tag; without the path and host in front; in the end whatever its case and however versions are written
 * (`4.5`, `4-5`, `45`).
 */
export function resolveName(names: ReadonlySet<string>, model: string): string | undefined {
  const bare = model.slice(model.lastIndexOf('/') + 1).replace(HOST, '')
  return (
    find(names, model) ??
    find(names, bare) ??
    find(names, bare.toLowerCase()) ??
    findSpelled(names, spelled(bare.toLowerCase()))
  )
}

function find(names: ReadonlySet<string>, model: string): string | undefined {
  if (names.has(model)) return model
  let longest: string | undefined
  for (const name of names) {
    if (name.length <= (longest?.length ?? 0) || !model.startsWith(name)) continue
    if (SUFFIX.test(model.slice(name.length))) longest = name
  }
  return longest
}

/** Returns a name with its versions as one number each: hosts write them with dots, dashes or neither. */
export const spelled = (name: string): string => name.replaceAll(/(?<=\d)[.-](?=\d(?!\d{3}))/gu, '')

function findSpelled(names: ReadonlySet<string>, model: string): string | undefined {
  let longest: string | undefined
  let length = 0
  for (const name of names) {
    const other = spelled(name.slice(name.lastIndexOf('/') + 1).toLowerCase())
    if (other.length <= length || !model.startsWith(other) || !SUFFIX.test(model.slice(other.length))) continue
    longest = name
    length = other.length
  }
  return longest
}
