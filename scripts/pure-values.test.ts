import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { markPureValues } from './pure-values.ts'

/** What a bundler keeps of a module, with marks, that needs one of its values. */
async function keptOf(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: markPureValues('a.js', `${code}\nconsole.log(used)`).code },
    bundle: true,
    treeShaking: true,
    write: false,
    format: 'esm',
  })
  return outputFiles[0]!.text
}

describe('markPureValues', () => {
  it.each([
    'const other = make(1)',
    'const other = make(make(1), ...list)',
    'const other = list.map((each) => each + 1)',
    'const other = { ...table, [list]: 1 }',
    'const other = [...list]',
    'const other = list.length',
    'const other = `${list}`',
    'const other = globalThis.setImmediate ?? ((go) => go())',
    'class Other { static { for (const each of list) this[each] = make(each) } }',
    'class Other extends make(1) {}',
    'const Other = class extends Promise { static get [Symbol.species]() { return Promise } }',
  ])('lets a bundler leave out %j', async (unused) => {
    const module = `const list = []\nconst table = {}\nfunction make(x) { return x }\n${unused}\nconst used = 'only this'`
    const kept = await keptOf(module)
    expect(kept).toContain('only this')
    expect(kept).not.toMatch(/make|other/iu)
  })

  it('keeps what is done and not only made', async () => {
    const kept = await keptOf(`if (globalThis.old) console.log('too old')\nconst used = 1`)
    expect(kept).toContain('too old')
  })

  it('changes no value and no name of a class', async () => {
    const module = `const list = ['é', 'b']
const sizes = Object.fromEntries(list.map((each, at) => [each, at]))
const Named = class extends Error { static { this.prototype.kind = 'named' } }
class Declared { static size = sizes.b }
export { sizes, Named, Declared }`
    const { code } = markPureValues('a.js', module)
    expect(code).toContain('@__PURE__')
    const { sizes, Named, Declared } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    expect(sizes).toEqual({ é: 0, b: 1 })
    expect([Named.name, new Named('x').kind, Declared.name, Declared.size]).toEqual(['Named', 'named', 'Declared', 1])
  })

  it('leaves a module alone whose values are plain', () => {
    const module = `const a = 1, b = 'x', c = [a, { b }], d = () => c, e = /x/u, f = -1\nclass G { #h = new Map(); i() {} }`
    expect(markPureValues('a.js', module).code).toBe(module)
  })
})
