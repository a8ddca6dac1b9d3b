"""A turn loop for agents that are built in Python: bring a model and tools, every moment is an event."""

from hookline.loop.agent import Agent
from hookline.loop.asking import Model
from hookline.loop.tools import Failed, Tool, tool
from hookline.loop.values import (
    Answer,
    Called,
    Calling,
    Done,
    Message,
    Piece,
    Question,
    Request,
    Told,
    ToolCall,
    Warned,
)

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
    "Told",
    "Tool",
    "ToolCall",
    "Warned",
    "tool",
]
