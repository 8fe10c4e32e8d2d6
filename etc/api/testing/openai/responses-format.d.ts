import type { WireFormat } from '../wire/wire-format.ts';
export declare const responsesFormat: WireFormat;
