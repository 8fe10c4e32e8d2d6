CREATE TABLE answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, bytes INTEGER, at INTEGER);
CREATE TABLE claims (key TEXT PRIMARY KEY, token TEXT NOT NULL, since INTEGER, until INTEGER) WITHOUT ROWID;
INSERT INTO answers (key, answer, bytes, at) VALUES ('/x3:oj8nrHq0b-w0rxTFT_VwHBfCyTpwPqbRIg0tkit3dKs', '{"answer":{"id":"scripted-1","model":"m","created":0,"usage":{"prompt_tokens":7,"completion_tokens":2,"total_tokens":9},"choices":[{"index":0,"message":{"role":"assistant","content":"Paris. 😀"},"finish_reason":"stop"}]},"cost":0}', 230, 1700000000000);
INSERT INTO answers (key, answer, bytes, at) VALUES ('/x3:kPaVgFn4kv4hRNODleI8kReqhjbiOJAH9OM5t5UZt3w', '{"answer":{"id":"scripted-2","model":"m","created":0,"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8},"choices":[{"index":0,"message":{"role":"assistant","content":"Rome."},"finish_reason":"stop"}]},"cost":0}', 226, 1700000000000);
PRAGMA user_version = 0;
