export declare function warnThat(text: string): (error: unknown) => void;
