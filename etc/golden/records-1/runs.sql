CREATE TABLE runs (
  run TEXT PRIMARY KEY, began REAL NOT NULL, last REAL NOT NULL, outcome TEXT, parent TEXT, tags TEXT NOT NULL,
  labels TEXT NOT NULL, summary TEXT NOT NULL, bytes INTEGER NOT NULL, writer TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_time ON runs (last);
CREATE TABLE pieces (piece INTEGER PRIMARY KEY, run TEXT NOT NULL, session TEXT NOT NULL, number INTEGER NOT NULL, lines TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX pieces_by_run ON pieces (run, session, number);
INSERT INTO pieces (piece, run, session, number, lines) VALUES (1, '22675c29-afb2-46e2-8b0e-ca783fc44f07', 'e0e1a262-62f3-45d9-92c2-020f95ed289e', 0, '["b",{"waits":true,"resumed":false}]
["k",{"place":"0","kind":"begin","value":{"runId":"22675c29-afb2-46e2-8b0e-ca783fc44f07","ends":true}}]
["e",[{"type":"chatStart","seq":0,"time":1795881770911,"chatId":"1","agentPath":["user"],"parentId":null,"id":"1.chat","agent":"user","recipient":"clerk","message":"How much is tea?","options":{"maxTurns":null,"clearHistory":false,"conversation":"own","silent":true,"summaryMethod":"last_msg"}}]]
["k",{"place":"1.0","kind":"begin","value":{"options":{"message":"How much is tea?","clearHistory":false,"carryover":[]},"names":["user","clerk"],"agents":[],"conversations":[{"with":"clerk","messages":[],"autoReplies":0,"maxAutoReplies":100,"replyAtReceive":false,"begun":false,"humanInput":[],"ended":null},{"with":"user","messages":[],"autoReplies":0,"maxAutoReplies":100,"replyAtReceive":false,"begun":false,"humanInput":[],"ended":null}]}}]
["v",0,{"content":"You sell tea.","role":"system"}]
["v",1,{"content":"How much is tea?","role":"user","name":"user"}]
["l",2,null,0,[0,1]]
["v",3,{"model":"scripted","tools":[{"type":"function","function":{"description":"The price of an item.","name":"price","parameters":{"type":"object","properties":{"item":{"type":"string"}}}}}]}]
["l",4,null,0,[3]]
["a","1.1","model",null,{"messages":{"l":2},"settings":{"l":4}}]
["e",[{"type":"modelCallStart","seq":1,"time":1795881770912,"chatId":"1","agentPath":["clerk"],"parentId":"1.chat","id":"1.1","agent":"clerk"}]]
["v",5,{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"price","arguments":"{\"item\":\"tea\"}"}}]}]
["e",[{"type":"modelCallEnd","seq":2,"time":1795881770912,"chatId":"1","agentPath":["clerk"],"parentId":"1.chat","id":"1.1","agent":"clerk","ms":0,"outcome":"ok","error":null,"message":{"v":5},"details":null,"model":"scripted","configId":0,"finishReason":"tool_calls","cached":false,"usage":{"promptTokens":10,"completionTokens":5,"totalTokens":15},"cost":0}]]
["m","1.1",{"v":5},{"totalCost":0,"models":{"scripted":{"cost":0,"promptTokens":10,"completionTokens":5,"totalTokens":15}}}]
["e",[{"type":"replyStart","seq":3,"time":1795881770913,"chatId":"1","agentPath":["user"],"parentId":"1.chat","id":"1.span1","agent":"user","sender":"clerk"}]]
["e",[{"type":"toolStart","seq":4,"time":1795881770913,"chatId":"1","agentPath":["user"],"parentId":"1.span1","id":"1.2.0.span0","agent":"user","name":"price","callId":"c","arguments":{"item":"tea"}}]]
["e",[{"type":"executeFunction","seq":5,"time":1795881770913,"chatId":"1","agentPath":["user"],"parentId":"1.2.0.span0","agent":"user","funcName":"price","callId":"c","arguments":{"item":"tea"},"recipient":"user"}]]
["v",6,{"item":"tea"}]
["a","1.2.0.0","tool","price",{"arguments":{"v":6}}]
["e",[{"type":"toolEnd","seq":6,"time":1795881770913,"chatId":"1","agentPath":["user"],"parentId":"1.span1","id":"1.2.0.span0","agent":"user","name":"price","callId":"c","ms":0,"outcome":"ok","error":null,"arguments":{"item":"tea"},"result":"3","parts":null,"approval":null}]]
["k",{"place":"1.2.0.0","kind":"tool","value":{"success":true,"text":"3"},"name":"price"}]
["v",7,{"role":"tool","tool_responses":[{"tool_call_id":"c","role":"tool","content":"3"}],"content":"3"}]
["e",[{"type":"replyEnd","seq":7,"time":1795881770913,"chatId":"1","agentPath":["user"],"parentId":"1.chat","id":"1.span1","agent":"user","sender":"clerk","ms":0,"outcome":"ok","error":null,"reply":{"v":7}}]]
["v",8,{"tool_calls":[{"id":"c","type":"function","function":{"name":"price","arguments":"{\"item\":\"tea\"}"}}],"content":null,"role":"assistant"}]
["v",9,{"tool_call_id":"c","role":"tool","content":"3"}]
["l",10,2,2,[8,9]]
["a","1.3","model",null,{"messages":{"l":10},"settings":{"l":4}}]
["e",[[1,0,{"id":"1.3"}]]]
["e",[[2,1,{"id":1,"ms":1,"message":"It costs 3 €.","finishReason":"stop"}]]]
["m","1.3","It costs 3 €.",{"totalCost":0,"models":{"scripted":{"cost":0,"promptTokens":10,"completionTokens":5,"totalTokens":15}}}]
["e",[[3,0,{"id":"1.span3"}]]]
["e",[[7,0,{"id":1,"reply":null}]]]
["v",11,{"content":"How much is tea?","role":"assistant","name":"user"}]
["v",12,{"content":"3","tool_responses":[{"tool_call_id":"c","role":"tool","content":"3"}],"role":"tool","name":"user"}]
["v",13,{"content":"It costs 3 €.","role":"user","name":"clerk"}]
["l",14,null,0,[11,8,12,13]]
["e",[{"type":"chatEnd","seq":12,"time":1795881770914,"chatId":"1","agentPath":["user"],"parentId":null,"id":"1.chat","agent":"user","recipient":"clerk","ms":3,"outcome":"ok","error":null,"terminationReason":"answered","summary":"It costs 3 €.","result":null,"group":null,"cost":{"usageIncludingCachedInference":{"totalCost":0,"models":{"scripted":{"cost":0,"promptTokens":20,"completionTokens":10,"totalTokens":30}}},"usageExcludingCachedInference":{"totalCost":0,"models":{"scripted":{"cost":0,"promptTokens":20,"completionTokens":10,"totalTokens":30}}}},"humanInput":[],"messages":{"l":14}}]]');
INSERT INTO runs (run, began, last, outcome, parent, tags, labels, summary, bytes, writer) VALUES ('22675c29-afb2-46e2-8b0e-ca783fc44f07', 1795881770911, 1795881770914, 'ok', NULL, '{"app":"shop"}', '[{"name":"good","value":true,"place":null,"at":1795881770915}]', '{"began":1795881770911,"last":1795881770914,"title":"How much is tea?","agents":["user","clerk"],"outcome":"ok","error":null,"messages":0,"tools":1,"events":13,"spent":[{"day":"2026-11-28","agent":"clerk","model":"scripted","calls":2,"promptTokens":20,"completionTokens":10,"cost":0}],"problem":null}', 4894, '{"machine":"W86Y9z8-0Mg38nKe","pid":27304,"began":"2869931"}');
PRAGMA user_version = 1;
PRAGMA application_id = 1481786691;
