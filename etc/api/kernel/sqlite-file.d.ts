import { XError } from './x-error.ts';
export declare function loadSqlite<T>(load: () => T): T;
export declare function ownFile(path: string): number;
export declare function lockPath(path: string, refused: (holder: number | null, cause: unknown) => XError): () => void;
