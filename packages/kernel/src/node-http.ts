/** For servers of Node. */
export { listenOn } from './http-server.ts'
