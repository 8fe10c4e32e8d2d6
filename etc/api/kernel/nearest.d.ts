export declare function nearestName(name: string, candidates: Iterable<string>, isWrong?: boolean): string | undefined;
