import { createDiskCache } from '@x/model'
import { codeOf, modelAt, type Trials } from './first-calls.ts'

/** A blocking call that is refused as an error of the call, where there is no thread that it could wait for. */
export const NO_THREADS: Trials = [
  [
    'a blocking call is refused',
    (url) => {
      const model = modelAt(url, {}).createModel()
      return codeOf(async () => model.createSync({ messages: [{ role: 'user', content: 'call' }] }), /^invalid-state$/u)
    },
  ],
]

/** A cache on disk that is refused where there are no files. */
export const NO_FILES: Trials = [
  ['a cache on disk is refused', () => codeOf(async () => createDiskCache({ dir: '.cache' }), /^invalid-state$/u)],
]
