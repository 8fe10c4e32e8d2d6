/** For packages that keep a file of SQLite; nothing here is touched before it is called. */
export { loadSqlite } from './load-sqlite.ts'
export { ownFile } from './own-file.ts'
