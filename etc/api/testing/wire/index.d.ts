export { frameText, type PlainReply, type PlainUsage, type WireFormat, type WireFrame, type WireRefusal, type WireRequest, } from './wire-format.ts';
export { startWireServer, type WireServer, type WireServerOptions, type WireStep } from './wire-server.ts';
