export declare function checkLimits(limits: unknown, attempt: string): void;
