export declare function loadSqlite<T>(load: () => T): T;
