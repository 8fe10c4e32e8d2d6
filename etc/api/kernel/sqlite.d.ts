export { loadSqlite } from './sqlite-file.ts';
export { ownFile } from './sqlite-file.ts';
