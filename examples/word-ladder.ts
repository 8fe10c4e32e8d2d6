import { search, searchMethod, type Method, type SearchParts } from '@x/reasoning'

// #region method
/** Expands the `width` best words at a time, wherever they are, and reaches no word twice. */
export function ladders({ width = 2, maxDepth = 6 } = {}): Method {
  const method = searchMethod(function* (search) {
    const reached = new Set([wordOf(search.root.content)])
    let open = [search.root]
    while (open.length > 0) {
      // A sort keeps the order of equal grades, and that is the order of the tree: it is the same in every run.
      open = open.toSorted((a, b) => (b.grade ?? 0) - (a.grade ?? 0))
      const best = open.splice(0, width)
      const ends = best.filter((node) => node.grade === 1 || search.isEnd(node, maxDepth))
      for (const answer of yield* search.answer(ends)) if (answer && search.isVerified(answer)) return answer
      for (const options of yield* search.expand(best.filter((node) => !ends.includes(node)))) {
        const fresh = options.filter(({ content }) => !reached.has(wordOf(content)))
        for (const { content } of fresh) reached.add(wordOf(content))
        yield* search.gradeTogether(fresh)
        open.push(...fresh)
      }
    }
    return null
  })
  // A journal of other settings is named in the warnings.
  return Object.assign(method, { fingerprint: `ladders-1-${width}-${maxDepth}` })
}
// #endregion

// #region parts
const WORDS = 'cold cord card ward warm word worm wore core corm wold bold bald ball told toll'.split(' ')
const [START, GOAL] = ['cold', 'warm']

const wordOf = (text: string): string => /\b[a-z]{4}\b/.exec(text)?.[0] ?? START
const sameLetters = (a: string, b: string): number => a.split('').filter((letter, i) => letter === b[i]).length

export const parts: SearchParts = {
  proposer: {
    propose({ node }) {
      const at = wordOf(node.content)
      const next = WORDS.filter((word) => sameLetters(word, at) === 3)
      return { text: next.join(' '), reflection: '', options: next.map((content) => ({ content })) }
    },
  },
  grader: {
    grade: ({ nodes }) => ({
      grades: nodes.map(({ content }) => ({
        value: sameLetters(wordOf(content), GOAL) / 4,
        details: 'letters in place',
      })),
    }),
  },
  answerer: {
    answer: ({ from }) => ({ text: [START, ...from[0]!.path.slice(1).map(({ content }) => content)].join(' ') }),
  },
  verifier(answer) {
    const words = answer.split(' ')
    return words.at(-1) === GOAL && words.every((word, i) => i === 0 || sameLetters(word, words[i - 1]!) === 3)
  },
}
// #endregion

export const question = `Change ${START} into ${GOAL}, one letter at a time.`
const { status, answer, used } = await search(question, { ...parts, method: ladders() })
console.log(status, answer, used.calls)
