/** Script that gives code in QuickJS a console, timers and `process.exit`. It runs in the engine before the code. */
export const GUEST_BOOTSTRAP: string = String.raw`
(() => {
  const { exit, sleep } = globalThis.__host
  const print = globalThis.__host.write
  delete globalThis.__host
  // A zero character would end the text.
  const write = (stream, text) => print(stream, text.replace(/\0/g, '\ufffd'))
  const now = Date.now
  const show = (value, depth, seen) => {
    if (typeof value === 'string') return depth === 0 ? value : JSON.stringify(value)
    if (typeof value === 'bigint') return value + 'n'
    if (typeof value === 'function') return '[Function: ' + (value.name || '(anonymous)') + ']'
    if (typeof value !== 'object' || value === null) return String(value)
    if (seen.includes(value)) return '[Circular]'
    if (value instanceof Error) return value.name + ': ' + value.message + (value.stack ? '\n' + value.stack.trimEnd() : '')
    if (value instanceof Date) return isNaN(value) ? 'Invalid Date' : value.toISOString()
    if (value instanceof RegExp) return String(value)
    if (depth > 3) return Array.isArray(value) ? '[Array]' : '[Object]'
    const inner = [...seen, value]
    const list = (items) => items.map((item) => show(item, depth + 1, inner)).join(', ')
    const rest = (length) => length > 100 ? ', ... ' + (length - 100) + ' more items' : ''
    const wrap = (open, text, close) => text === '' ? open + close : open + ' ' + text + ' ' + close
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const items = Array.from({ length: Math.min(value.length, 100) }, (_, at) => value[at])
      return wrap('[', list(items) + rest(value.length), ']')
    }
    if (value instanceof Map) {
      const pairs = [...value].slice(0, 100).map(([key, item]) => show(key, depth + 1, inner) + ' => ' + show(item, depth + 1, inner))
      return 'Map(' + value.size + ') ' + wrap('{', pairs.join(', ') + rest(value.size), '}')
    }
    if (value instanceof Set) return 'Set(' + value.size + ') ' + wrap('{', list([...value].slice(0, 100)) + rest(value.size), '}')
    const name = value.constructor && value.constructor !== Object ? value.constructor.name + ' ' : ''
    const entries = Object.entries(value).map(([key, item]) => (/^[\w$]+$/.test(key) ? key : JSON.stringify(key)) + ': ' + show(item, depth + 1, inner))
    return name + wrap('{', entries.join(', '), '}')
  }
  const inside = (value) => show(value, 1, [])
  const forms = {
    s: (value) => show(value, 0, []), d: Number, i: (value) => parseInt(value), f: (value) => parseFloat(value),
    j: (value) => JSON.stringify(value), o: inside, O: inside, c: () => '',
  }
  // As Node does: marks in the first text take the values behind it.
  const filled = ([text, ...values]) => {
    const put = (mark, form) => form === '%' ? '%' : values.length === 0 ? mark : String(forms[form](values.shift()))
    return typeof text === 'string' ? [text.replace(/%([%sdifjoOc])/g, put), ...values] : [text, ...values]
  }
  const line = (stream) => (...values) =>
    write(stream, (values.length > 1 ? filled(values) : values).map((value) => show(value, 0, [])).join(' ') + '\n')
  const log = line('stdout')
  const warn = line('stderr')
  const titled = (...values) => values.length > 0 && log(...values)
  const started = new Map()
  const measure = (name = 'default') => log(name + ': ' + (now() - (started.get(name) ?? now())) + 'ms')
  const counts = new Map()
  globalThis.console = {
    log, info: log, debug: log, dir: log, table: log, warn, error: warn, trace: warn,
    assert: (holds, ...values) => holds || warn('Assertion failed' + (values.length > 0 ? ':' : ''), ...values),
    group: titled, groupCollapsed: titled, groupEnd: () => {},
    time: (name = 'default') => void started.set(name, now()), timeLog: measure, timeEnd: measure,
    count: (name = 'default') => (counts.set(name, (counts.get(name) ?? 0) + 1), log(name + ': ' + counts.get(name))),
    countReset: (name = 'default') => void counts.delete(name),
  }
  globalThis.print = log
  const writer = (stream) => (text, ...rest) => {
    write(stream, String(text))
    const done = rest.pop()
    if (typeof done === 'function') Promise.resolve().then(() => done())
    return true
  }
  const leave = (status = globalThis.process.exitCode ?? 0) => {
    exit(Number(status))
    for (;;);
  }
  globalThis.process = {
    argv: ['node', 'main.js'], env: {}, platform: 'quickjs', version: 'quickjs', exit: leave,
    stdout: { write: writer('stdout') },
    stderr: { write: writer('stderr') },
  }
  globalThis.global = globalThis
  const timers = []
  let count = 0
  const add = (callback, delay, every, args) => {
    const timer = { id: ++count, at: now() + Math.max(1, Number(delay) || 1), callback, every, args }
    timers.push(timer)
    return timer.id
  }
  const remove = (id) => {
    const at = timers.findIndex((timer) => timer.id === id)
    if (at >= 0) timers.splice(at, 1)
  }
  globalThis.setTimeout = (callback, delay, ...args) => add(callback, delay, null, args)
  globalThis.setInterval = (callback, delay, ...args) => add(callback, delay, Math.max(1, Number(delay) || 1), args)
  globalThis.setImmediate = (callback, ...args) => add(callback, 0, null, args)
  globalThis.clearTimeout = globalThis.clearInterval = globalThis.clearImmediate = remove
  // Errors of callbacks that nobody waits for end the code.
  const lost = []
  const { then } = Promise.prototype
  const keepLost = (error) => void lost.push({ error })
  globalThis.queueMicrotask = (callback) => {
    const done = Promise.resolve().then(() => void callback())
    Reflect.apply(then, done, [undefined, keepLost])
  }
  Object.defineProperty(globalThis, '__tick', { enumerable: false, value: () => {
    if (lost.length > 0) throw lost[0].error
    timers.sort((a, b) => a.at - b.at || a.id - b.id)
    const next = timers.shift()
    if (!next) return false
    const rest = next.at - now()
    if (rest > 0) sleep(rest)
    if (next.every !== null) timers.push({ ...next, at: now() + next.every })
    const result = next.callback(...next.args)
    if (result instanceof Promise) Reflect.apply(then, result, [undefined, keepLost])
    return true
  } })
})()
`
