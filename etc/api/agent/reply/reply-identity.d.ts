export declare const BUILT_IN: unique symbol;
export declare const namedReply: (reply: object) => object;
export declare const isSame: (one: object, other: object) => boolean;
