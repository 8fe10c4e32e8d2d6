import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { ENDINGS, type ExecutePolicy } from './run/languages.ts'

const LANGUAGES = Object.fromEntries(Object.keys(ENDINGS).map((name) => [name, kind.flag]))

/** Refuses an unknown or wrong option of an executor before anything is started. */
export function checkExecutorOptions<O extends { readonly execute?: ExecutePolicy | undefined }>(
  operation: string,
  options: O | undefined,
  kinds: OptionKinds<O>,
): void {
  checkOptions(options, kinds, `run \`${operation}\``)
  checkOptions(options?.execute, LANGUAGES, `run \`${operation}\` with this \`execute\``)
}
