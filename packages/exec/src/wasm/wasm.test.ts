import { afterAll, describe, expect, it } from 'vitest'
import { createCodeExecutor } from '../create-code-executor.ts'

const limits = { memoryBytes: 64 * 2 ** 20, outputBytes: 8_192 }
const executor = createCodeExecutor('wasm', { limits })
/** Limits for code that runs until its timeout. */
const hurried = createCodeExecutor('wasm', { timeout: 1, limits })
afterAll(() => Promise.all([executor.close(), hurried.close()]))
const run = async (code: string, language: string = 'js') => await executor.executeCodeBlocks([{ language, code }])

describe('JavaScript in WebAssembly', () => {
  it.each([
    [
      'values',
      'console.log(1, "a", [1, "b"], { c: { d: null } }, new Map([[1, 2]]), undefined, 3n)',
      `1 a [ 1, "b" ] { c: { d: null } } Map(1) { 1 => 2 } undefined 3n\n`,
    ],
    ['a value that holds itself', 'const a = {}; a.a = a; console.log(a)', '{ a: [Circular] }\n'],
    [
      'timers',
      'setTimeout(() => console.log(2), 20); setTimeout(() => console.log(1), 1); console.log(0)',
      '0\n1\n2\n',
    ],
    [
      'an interval',
      'let n = 0; const t = setInterval(() => { console.log(n); if (++n > 2) clearInterval(t) }, 1)',
      '0\n1\n2\n',
    ],
    ['promises', 'Promise.resolve(1).then(console.log); console.log(0)', '0\n1\n'],
    ['await outside a function', 'const x = await new Promise((ok) => setTimeout(ok, 5, 7)); console.log(x)', '7\n'],
    ['process.stdout', 'process.stdout.write("a"); process.exit(0); console.log("b")', 'a'],
    [
      'leaving in a job, and nothing behind it',
      'setTimeout(() => console.log("timer")); Promise.resolve().then(() => process.exit(0)); Promise.resolve().then(() => console.log("job")); console.log("a")',
      'a\n',
    ],
    [
      'leaving behind an await, and nothing behind it',
      'async function main() { await 1; process.exit(0) }\nsetInterval(() => console.log("timer"), 1); main().finally(() => console.log("finally"))',
      '',
    ],
    ['loose mode', 'x = 010; console.log(x)', '8\n'],
    ['loose mode beside an await', 'async function f() { await 1 }\nx = 010; console.log(x)', '8\n'],
    ['a rejection that is handled later', 'p = Promise.reject(1); setTimeout(() => p.catch(console.log)); 0', '1\n'],
    ['a program that never ends its promise', 'new Promise(() => {})', ''],
    ['a written text', 'await new Promise((done) => process.stdout.write("a", done)); console.log("b")', 'ab\n'],
    [
      'texts with values in them',
      'console.log("%s: %d of %i, %f%% %j %o%c %s", "a", "2", 3.9, 0.5, { b: 1 }, ["c"], "color: red"); console.log("%d%%")',
      'a: 2 of 3, 0.5% {"b":1} [ "c" ] %s\n%d%%\n',
    ],
    [
      'the rest of the console',
      'console.group("g"); console.assert(true, "x"); console.assert(1 > 2, "no"); console.count(); console.count()',
      'Assertion failed: no\ng\ndefault: 1\ndefault: 2\n',
    ],
    [
      'the beginning of long values',
      'const a = []; a.length = 4e9; const s = new Set(Array(102).keys()); console.log(a); console.log(s)',
      `[ ${Array(100).fill('undefined').join(', ')}, ... 3999999900 more items ]\nSet(102) { ${[...Array(100).keys()].join(', ')}, ... 2 more items }\n`,
    ],
  ])('%s', async (_, code, output) => {
    expect(await run(code)).toMatchObject({ exitCode: 0, output })
  })

  it('says of types that nest too deeply that the parser broke, and reads the next block', async () => {
    expect((await run(`type A = ${'('.repeat(5e4)}string${')'.repeat(5e4)}`, 'ts')).output).toBe(
      'SyntaxError: the parser of TypeScript broke, as it does on code that nests too deeply\n',
    )
    expect((await run('const x: number = 1; console.log(x)', 'ts')).output).toBe('1\n')
  })

  it('runs TypeScript, enums where Node translates them, and reports syntax errors', async () => {
    expect((await run('const x: number = 2\nconsole.log(x satisfies number)', 'ts')).output).toBe('2\n')
    const { exitCode, output } = await run('enum A { X = 2 }\nconsole.log(A.X)', 'ts')
    if (Number.parseInt(process.versions.node, 10) < 26) expect([exitCode, output]).toEqual([0, '2\n'])
    else expect([exitCode, output]).toEqual([1, expect.stringContaining('enum is not supported')])
    expect(await run('const x: = 1', 'typescript')).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('SyntaxError') as unknown,
    })
  })

  it.each([
    ['an error', 'throw new TypeError("boo")', 'TypeError: boo'],
    ['something else thrown', 'throw 7', 'Uncaught 7'],
    ['a syntax error', 'let let = 1', 'SyntaxError'],
    ['a rejected await', 'await Promise.reject(new Error("no"))', 'Error: no'],
    ['an unknown module', 'import fs from "node:fs"', 'ReferenceError'],
    ['an object that is no error', 'throw { code: 5 }', 'Uncaught {"code":5}'],
    [
      'a program that nobody waits for',
      'async function main() { await 1; throw new Error("no") }\nmain()',
      'Error: no',
    ],
    ['its last statement', 'console.log(1); (async () => { throw new Error("no") })()', 'Error: no'],
    ['a rejection, at once', 'setInterval(() => {}, 9); await Promise.reject(new Error("no"))', 'Error: no'],
    ['a rejection in a timer', 'setInterval(async () => { throw new Error("no") }, 1)', 'Error: no'],
    ['an error in a microtask', 'queueMicrotask(() => { throw new Error("no") }); 0', 'Error: no'],
    ['its exit code', 'process.exitCode = 1; console.error("no")', 'no'],
    ['its exit code, leaving', 'process.exitCode = 1; console.error("no"); process.exit()', 'no'],
  ])('fails by %s', async (_, code, text) => {
    const { exitCode, output } = await run(code)
    expect([exitCode, output.includes(text)]).toEqual([1, true])
  })

  it('ends as Node does where it waits for what never comes', async () => {
    expect(await run('console.log(1)\nawait new Promise(() => {})')).toMatchObject({
      exitCode: 13,
      output: 'An `await` outside of functions waits for what never comes\n1\n',
    })
    expect(await run('export const a = await new Promise(() => {})')).toMatchObject({ exitCode: 13 })
  })

  it('names the lines of TypeScript', async () => {
    const { output } = await run('interface A {\n  b: number\n}\n\nthrow new Error("no")', 'ts')
    expect(output).toContain('main.js:5:')
  })

  it.each([
    [
      'constructors',
      'console.log(console.log.constructor("return typeof process.getBuiltinModule + typeof require")())',
      'undefinedundefined\n',
    ],
    [
      'globals',
      'console.log(typeof fetch, typeof require, typeof WebAssembly, typeof __host, JSON.stringify(process.env))',
      'undefined undefined undefined undefined {}\n',
    ],
    [
      'its own functions',
      'let seen = []; const call = Function.prototype.call; Function.prototype.call = function (...a) { seen.push(typeof a[0]); return call.apply(this, a) }; console.log(1); console.log(Object.keys(globalThis).filter((k) => k.startsWith("__")).length, typeof std, typeof os, typeof bjson)',
      '1\n0 undefined undefined undefined\n',
    ],
    [
      'what its tick returns',
      'console.log(typeof __tick); try { globalThis.__tick = () => true; } catch (e) { console.log(e.name) } console.log("end")',
      'function\nend\n',
    ],
    [
      'what it prints',
      'Object.prototype.toJSON = () => ({ outcome: { exitCode: 0 } }); process.stdout.write({ toString: () => "\\u0000" + { outcome: 1 } })',
      '\ufffd[object Object]',
    ],
    [
      'prototypes',
      'Object.prototype.x = 1; console.log(JSON.parse(\'{"__proto__": {"y": 1}}\').y, ({}).x)',
      'undefined 1\n',
    ],
  ])('finds nothing of the host by %s', async (_, code, output) => {
    expect((await run(code)).output).toBe(output)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('finds no module by import()', async () => {
    expect(
      (await run('try { await import("node:fs"); console.log("in") } catch (e) { console.log("no") }')).output,
    ).toBe('no\n')
  })

  it.concurrent.each([
    ['an endless loop', 'for (;;);'],
    ['a loop that catches', 'for (;;) try { for (;;); } catch {}'],
    ['a loop of the engine’s own', 'let a = []; a.length = 4294967295; a.join()'],
    ['a pattern that backtracks', '/(a+)+$/.test("a".repeat(40) + "b")'],
    ['endless jobs', 'const f = () => Promise.resolve().then(f); f()'],
    ['jobs that start jobs in a module', 'for (;;) await null'],
    ['a loop in a getter that is shown', 'console.log({ get a() { for (;;); } })'],
    ['a loop in a prototype that the console uses', 'Array.prototype.map = () => { for (;;); }; console.log([1])'],
    ['text that is searched for ever', '("a".repeat(1e6)).replaceAll(/(a*)*b/g, "")'],
    ['a number that takes for ever', 'let n = 3n; for (;;) n = (n * n) % 2n ** 1000n'],
    ['a timer far away', 'setTimeout(() => {}, 1e9)'],
  ])('ends %s', async (_, code) => {
    const result = await hurried.executeCodeBlocks([{ language: 'js', code }])
    expect(result).toMatchObject({ exitCode: 124, output: '\nTimeout' })
  })

  it.each([
    ['memory', 'const a = []; for (;;) a.push("x".repeat(1e6) + a.length)'],
    ['stack', 'const f = () => f() + 1; f()'],
    ['memory by typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(2 ** 20).fill(1))'],
    ['memory by one buffer', 'new ArrayBuffer(2 ** 31)'],
    ['stack in reading', 'JSON.parse("[".repeat(1e6))'],
    ['stack in showing', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; console.log(JSON.stringify(a))'],
  ])('ends what uses up its %s by an error', async (_, code) => {
    const { exitCode, output } = await run(code)
    expect([exitCode === 0, output.length < 9_000]).toEqual([false, true])
    expect((await run('console.log(1)')).output).toBe('1\n')
  })
})
