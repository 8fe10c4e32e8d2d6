export declare function expression(text: string): (context: Readonly<object>) => unknown;
