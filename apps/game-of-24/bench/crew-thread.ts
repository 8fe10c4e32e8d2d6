/** A thread of the bench: it plays the tasks that it is sent, and sends their plays back. */
import { parentPort } from 'node:worker_threads'
import { playTask, type Task } from './play.ts'

parentPort!.on('message', (task: Task) => parentPort!.postMessage(playTask(task)))
