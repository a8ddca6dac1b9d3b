"""Turn loop for agents built in Python, with your own model and tools; every step fires an event."""

from hookline.loop.agent import Agent
from hookline.loop.messages import (
    Answer,
    Called,
    Calling,
    Done,
    Message,
    Piece,
    Question,
    Request,
    ToolCall,
    TurnItem,
    Warned,
)
from hookline.loop.model_call import Model
from hookline.loop.tools import Failed, Tool, tool

__all__ = [
    "Agent",
    "Answer",
    "Called",
    "Calling",
    "Done",
    "Failed",
    "Message",
    "Model",
    "Piece",
    "Question",
    "Request",
    "Tool",
    "ToolCall",
    "TurnItem",
    "Warned",
    "tool",
]
