/**
 * Makes mutants of the plugins by the operators of `mutants/operators.ts`, and runs the suite for providers on each; fails
 * if it catches fewer than 95 % of those that can be told from outside, or if one survives that `mutants/survivors.ts` does
 * not list.
 *
 *   node scripts/mutants.ts [plugin ...] [--every n]
 */
import { parseArgs } from 'node:util'
import { describeMutant, judgePlugin, LEAST_CAUGHT_SHARE } from './mutants/judge.ts'
import { PLUGINS } from './mutants/run-suite.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { every: { type: 'string', default: '1' } },
})

for (const plugin of PLUGINS) {
  if (positionals.length > 0 && !positionals.includes(plugin.name)) continue
  const { source, total, survivors, unlisted, decidable, caught } = await judgePlugin(plugin, Number(values.every))
  const percent = ((100 * caught) / decidable).toFixed(1)
  console.log(
    `${plugin.name}: ${total} mutants, ${survivors.length} survive; ` +
      `${decidable} can be told from outside, and ${caught} of them are caught (${percent} %)`,
  )
  for (const mutant of unlisted) console.log(describeMutant(source, mutant))
  if (unlisted.length > 0 || caught / decidable < LEAST_CAUGHT_SHARE) process.exitCode = 1
}
