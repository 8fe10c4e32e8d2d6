export declare function isSecretName(name: string): boolean;
