export declare function loadSqlite<T>(load: () => T): T;
export declare function ownFile(path: string): number;
