export declare const printable: (text: string) => string;
