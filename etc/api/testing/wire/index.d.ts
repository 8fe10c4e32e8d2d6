export { writeFrame, type PlainReply, type WireFormat, type WireFrame } from './wire-format.ts';
export { startWireServer, type WireServer, type WireStep } from './wire-server.ts';
export { startBatchServer, type BatchOutcome, type BatchServer, type BatchServerOptions } from './batch-server.ts';
