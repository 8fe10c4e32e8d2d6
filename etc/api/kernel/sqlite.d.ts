export { loadSqlite } from './load-sqlite.ts';
export { ownFile } from './own-file.ts';
