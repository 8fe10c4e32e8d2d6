import { type PlainReply, type WireFormat } from '../wire/wire-format.ts';
import type { ProviderRecording } from './contract.ts';
export declare function createRecording(format: WireFormat, name: string, reply: PlainReply): ProviderRecording;
