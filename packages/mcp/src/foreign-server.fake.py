"""A server of Python's SDK: by input and output, or on the port that is given."""

import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("python")


@server.tool(annotations={"readOnlyHint": True})
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b


@server.tool()
async def slow(ctx: Context) -> str:
    """Tells of its progress."""
    await ctx.report_progress(1, 2, "half")
    return "done"


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("no luck")


if len(sys.argv) > 1:
    server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
else:
    server.run()
