export { longHistory } from './long-history.ts';
export { CANARY, type ProviderContract, type ProviderFailure, type ProviderRecording } from './contract.ts';
export { providerContract } from './provider-contract.ts';
export { bytesOf, fakeFetch, type FakeFetch, type FakeResponse } from './fake-fetch.ts';
export { recordingOf } from './recording.ts';
export type { ContractExpectation, ContractRunner } from './runner.ts';
export { exchange, type Exchange, type Recorded } from './exchange.ts';
export { deepFrozen } from './collected.ts';
