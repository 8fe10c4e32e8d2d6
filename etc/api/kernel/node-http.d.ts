export { listenOn } from './http-server.ts';
