import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from './database.ts'
import { lockWorker } from './local-queue.ts'
import { sqlite } from './sqlite.ts'

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'host-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Opens and closes a file of chats; returns its path. */
async function opened(path: string): Promise<string> {
  const backend = sqlite(path)
  lockWorker(path)[Symbol.dispose]()
  await backend.close()
  return path
}

describe.skipIf(process.platform === 'win32')('the file of a host', () => {
  const modeOf = (path: string): number => statSync(path).mode & 0o777

  it('can be read only by its owner, as can the files beside it and files that existed before', async () => {
    const dir = folder()
    const backend = sqlite(join(dir, 'new.db'))
    lockWorker(join(dir, 'new.db'))[Symbol.dispose]()
    const files = readdirSync(dir)
    expect(files).toEqual(expect.arrayContaining(['new.db', 'new.db-wal', 'new.db-worker']))
    for (const file of files) expect([file, modeOf(join(dir, file))]).toEqual([file, 0o600])
    await backend.close()
    const old = join(dir, 'old.db')
    for (const file of [old, `${old}-worker`]) writeFileSync(file, '', { mode: 0o644 })
    await opened(old)
    expect([modeOf(old), modeOf(`${old}-worker`)]).toEqual([0o600, 0o600])
  })

  it.each(['', '-wal', '-shm', '-worker'])('may not be a link (file ending: `%s`)', async (end) => {
    const elsewhere = join(folder(), 'elsewhere')
    const path = join(folder(), 'chats.db')
    symlinkSync(elsewhere, path + end)
    await expect(opened(path)).rejects.toThrow()
    expect(existsSync(elsewhere)).toBe(false)
  })

  it('is refused with an error that says that it is a link', () => {
    const path = join(folder(), 'chats.db')
    symlinkSync('elsewhere', path)
    expect(() => sqlite(path)).toThrow(
      expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('chats.db` is a link') }),
    )
  })

  it('may be no device or pipe, the rights of which stay as they are', () => {
    const path = join(folder(), 'pipe')
    expect(spawnSync('sh', ['-c', 'mkfifo -m 666 "$0"', path]).status).toBe(0)
    expect(() => sqlite(path)).toThrow(
      expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('pipe` is a device or pipe') }),
    )
    expect(modeOf(path)).toBe(0o666)
  })

  it('stays locked when the process of its worker tries to lock it again', () => {
    const path = join(folder(), 'chats.db')
    using _lock = lockWorker(path)
    expect(() => lockWorker(path)).toThrow('another worker has them')
    const module = JSON.stringify(new URL('local-queue.ts', import.meta.url).href)
    const script = `const { lockWorker } = await import(${module}); lockWorker(${JSON.stringify(path)}); console.log('mine')`
    const other = spawnSync(process.execPath, ['--conditions=@x/source', '--input-type=module', '-e', script])
    expect(other.stdout.toString()).toBe('')
    expect(other.stderr.toString()).toContain('another worker has them')
  })
})

it('tells of a change that returns its row and cannot be committed, as on a full disk', () => {
  const db = openDatabase(':memory:', 0)
  onTestFinished(() => db.close())
  db.exec('CREATE TABLE one (id INTEGER PRIMARY KEY)')
  db.exec('CREATE TABLE two (one INTEGER REFERENCES one DEFERRABLE INITIALLY DEFERRED)')
  expect(() => db.row('INSERT INTO two VALUES (7) RETURNING one')).toThrow('FOREIGN KEY constraint failed')
  expect(db.row('SELECT * FROM two')).toBeUndefined()
})
