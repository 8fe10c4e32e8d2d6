export { batchesContract } from './batches-contract.ts';
export { deepFreeze } from '../contracts/deep-freeze.ts';
export type { ProviderContract, ProviderRecording } from './contract.ts';
export { embeddingsContract } from './embeddings-contract.ts';
export { exchange, type Exchange, type RecordedAnswer } from './exchange.ts';
export { longHistory } from './long-history.ts';
export { providerContract } from './provider-contract.ts';
export { createRecordings } from './recording.ts';
export type { PlainAnswer, PlainPart, PlainRequest, WireMeaning } from './meaning.ts';
