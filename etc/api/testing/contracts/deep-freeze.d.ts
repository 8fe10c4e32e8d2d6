export declare function deepFreeze<T>(value: T): T;
