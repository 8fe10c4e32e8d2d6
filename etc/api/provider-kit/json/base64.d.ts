export declare function joinedBase64(pieces: readonly string[]): string;
