import { type PlainReply, type WireFormat } from '../wire/wire-format.ts';
import type { ProviderRecording } from './contract.ts';
export declare const createRecordings: (format: WireFormat, replies?: Readonly<Record<string, PlainReply>>) => ProviderRecording[];
