"""A turn loop for agents that are built in Python: bring a model and tools, every moment is an event."""

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
    Told,
    ToolCall,
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
    "Told",
    "Tool",
    "ToolCall",
    "Warned",
    "tool",
]
