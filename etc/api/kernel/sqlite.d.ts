export { loadSqlite } from './sqlite-file.ts';
export { lockPath, ownFile } from './sqlite-file.ts';
