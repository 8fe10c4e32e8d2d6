/** For packages that keep a file of SQLite; nothing here is touched before it is called. */
export { loadSqlite } from './sqlite-file.ts'
export { lockPath, ownFile } from './sqlite-file.ts'
